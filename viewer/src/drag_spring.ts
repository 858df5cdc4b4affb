import { BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial } from "three";
import { Arrows } from "./arrows";
import type { Drag } from "./data";
import { dragColor } from "./palette";

/** The spring that pulls a body, and its force. */
export class DragSpring {
  readonly group = new Group();
  private readonly line = new Line(
    new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(6), 3)),
    new LineBasicMaterial({ color: dragColor }));
  private readonly arrows = new Arrows();

  constructor(private readonly size: number, private readonly unitForce: number) {
    this.line.frustumCulled = false;
    this.group.add(this.line, this.arrows.group);
    this.group.visible = false;
  }

  draw(drag: Drag | null): void {
    this.group.visible = drag !== null;
    if (!drag) return;
    const position = this.line.geometry.getAttribute("position") as BufferAttribute;
    position.set([...drag.point, ...drag.target]);
    position.needsUpdate = true;
    this.arrows.clear();
    const [x, y, z] = drag.force;
    const force = Math.hypot(x, y, z);
    if (force > 0) {
      this.arrows.add(drag.point[0], drag.point[1], drag.point[2], x / force, y / force, z / force,
                      (this.size * force) / this.unitForce, 0.045 * this.size, dragColor);
    }
    this.arrows.finish();
  }
}
