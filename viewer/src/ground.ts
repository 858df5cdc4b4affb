import { Color, Mesh, MeshLambertMaterial, PlaneGeometry, Vector3 } from "three";
import { transform } from "./pose";

/** A plane with a grid, which fades towards the distance. */
export class Ground {
  readonly mesh: Mesh;
  private readonly uniforms = {
    gridStep: { value: 1 },
    gridColor: { value: new Color() },
    fadeCenter: { value: new Vector3() },
    fadeRadius: { value: 1 },
  };

  /** `extent` is the scene's size [m]; with `linesOnly` there is no surface. */
  constructor(extent: number, center: Vector3, linesOnly: boolean) {
    const radius = 12 * extent;
    const material = new MeshLambertMaterial({ transparent: true, depthWrite: !linesOnly });
    this.uniforms.gridStep.value = 10 ** Math.round(Math.log10(extent / 4));
    this.uniforms.fadeCenter.value.copy(center);
    this.uniforms.fadeRadius.value = radius;
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = shader.vertexShader
        .replace("#include <common>", "#include <common>\nvarying vec3 gridPlace; varying vec3 gridWorld;")
        .replace("#include <begin_vertex>",
          "#include <begin_vertex>\ngridPlace = position; gridWorld = (modelMatrix * vec4(position, 1.0)).xyz;");
      shader.fragmentShader = shader.fragmentShader
        .replace("#include <common>", `#include <common>\n${gridFunction}`)
        .replace("#include <color_fragment>", `#include <color_fragment>
          float fine = gridLines(gridPlace.xy / gridStep, 1.0);
          float coarse = gridLines(gridPlace.xy / (10.0 * gridStep), 1.4);
          float line = max(0.45 * fine, 0.8 * coarse);
          float fade = 1.0 - smoothstep(0.15, 1.0, distance(gridWorld, fadeCenter) / fadeRadius);
          diffuseColor.rgb = mix(diffuseColor.rgb, gridColor, line);
          diffuseColor.a = fade * ${linesOnly ? "0.6 * line" : "1.0"};`);
    };
    material.customProgramCacheKey = () => `ground${linesOnly}`;
    this.mesh = new Mesh(new PlaneGeometry(2 * radius, 2 * radius), material);
    this.mesh.receiveShadow = !linesOnly;
    this.mesh.matrixAutoUpdate = false;
    this.mesh.renderOrder = -1; // before what is translucent
  }

  /** By a 3x4 matrix. The plane is drawn around the scene's center, moved by whole squares,
      and a hair below, where nothing flickers with it. */
  place(matrix: Float32Array, below: number): void {
    const square = 10 * this.uniforms.gridStep.value;
    const center = transform(matrix, 0, this.uniforms.fadeCenter.value.toArray(), true);
    const p = [Math.round(center[0] / square) * square, Math.round(center[1] / square) * square, -below];
    const [x, y, z] = transform(matrix, 0, p);
    const m = matrix;
    this.mesh.matrix.set(m[0], m[3], m[6], x, m[1], m[4], m[7], y, m[2], m[5], m[8], z, 0, 0, 0, 1);
  }

  setColors(surface: string, lines: string): void {
    (this.mesh.material as MeshLambertMaterial).color.set(surface);
    this.uniforms.gridColor.value.set(lines);
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    (this.mesh.material as MeshLambertMaterial).dispose();
  }
}

// lines as wide as a pixel, which vanish where they would be closer than that
const gridFunction = `
varying vec3 gridPlace;
varying vec3 gridWorld;
uniform float gridStep;
uniform vec3 gridColor;
uniform vec3 fadeCenter;
uniform float fadeRadius;
float gridLines(vec2 place, float width) {
  vec2 pixel = fwidth(place);
  vec2 line = 1.0 - smoothstep(0.0, width, abs(fract(place - 0.5) - 0.5) / pixel);
  vec2 crowded = smoothstep(0.15, 0.5, pixel);
  return max(line.x * (1.0 - crowded.x), line.y * (1.0 - crowded.y));
}`;
