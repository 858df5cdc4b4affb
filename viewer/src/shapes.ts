// Unit geometries of the shapes. Of a capsule there is none: it is a cylinder and two spheres.
import { BoxGeometry, BufferAttribute, BufferGeometry, CylinderGeometry, SphereGeometry } from "three";
import type { Geom, MeshData } from "./data";

export type PartKind = "box" | "sphere" | "cylinder" | "mesh";

/** One of the pieces that a geom is drawn as: a unit geometry, stretched, moved along z. */
export interface Part {
  kind: PartKind;
  scale: [number, number, number];
  z: number;
}

export function partsOf(geom: Geom): Part[] {
  const [a, b, c] = geom.size;
  switch (geom.shape) {
    case "plane": return []; // the ground draws it
    case "sphere": return [{ kind: "sphere", scale: [a, a, a], z: 0 }];
    case "ellipsoid": return [{ kind: "sphere", scale: [a, b, c], z: 0 }];
    case "box": return [{ kind: "box", scale: [a, b, c], z: 0 }];
    case "cylinder": return [{ kind: "cylinder", scale: [a, a, b], z: 0 }];
    case "capsule":
      return [
        { kind: "cylinder", scale: [a, a, b], z: 0 },
        { kind: "sphere", scale: [a, a, a], z: b },
        { kind: "sphere", scale: [a, a, a], z: -b },
      ];
    case "mesh": return [{ kind: "mesh", scale: [1, 1, 1], z: 0 }];
  }
}

/** Bounding radius of a geom about its own origin [m]. */
export function boundingRadius(geom: Geom, meshes: MeshData[]): number {
  const [a, b, c] = geom.size;
  switch (geom.shape) {
    case "plane": return 0;
    case "sphere": return a;
    case "capsule": return a + b;
    case "cylinder": return Math.hypot(a, b);
    case "box": return Math.hypot(a, b, c);
    case "ellipsoid": return Math.max(a, b, c);
    case "mesh": {
      const v = meshes[geom.mesh]?.vertices ?? [];
      let square = 0;
      for (let i = 0; i < v.length; i += 3) {
        square = Math.max(square, v[i] ** 2 + v[i + 1] ** 2 + v[i + 2] ** 2);
      }
      return Math.sqrt(square);
    }
  }
}

/** `detail` is the number of segments of a circle, a multiple of 4. */
export function unitGeometry(kind: PartKind, detail: number, mesh?: MeshData): BufferGeometry {
  switch (kind) {
    case "box": return new BoxGeometry(2, 2, 2);
    case "sphere": return quarters(new SphereGeometry(1, detail, detail / 2).rotateX(Math.PI / 2));
    case "cylinder": return quarters(new CylinderGeometry(1, 1, 2, detail).rotateX(Math.PI / 2));
    case "mesh": return meshGeometry(mesh!);
  }
}

/** Darkens two of four quarters about z, so that one sees round things turn. */
function quarters(geometry: BufferGeometry): BufferGeometry {
  const flat = geometry.toNonIndexed();
  const position = flat.getAttribute("position");
  const shades = new Float32Array(3 * position.count);
  for (let i = 0; i < position.count; i += 3) {
    let x = 0, y = 0;
    for (let k = i; k < i + 3; ++k) {
      x += position.getX(k);
      y += position.getY(k);
    }
    shades.fill(x * y > 0 ? 1 : 0.84, 3 * i, 3 * i + 9);
  }
  flat.setAttribute("color", new BufferAttribute(shades, 3));
  return flat;
}

/** Faces are flat: hulls have edges. */
function meshGeometry(mesh: MeshData): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(mesh.vertices), 3));
  geometry.setIndex(mesh.triangles);
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}
