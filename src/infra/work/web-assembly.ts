/** A compiled module. Threads that are handed the same one share its machine code. */
export type WebAssemblyModule = object

interface WebAssemblyApi {
  validate(bytes: Uint8Array): boolean
  Module: new (bytes: Uint8Array) => WebAssemblyModule
  Instance: new (module: WebAssemblyModule) => { exports: unknown }
}

/** Node's type definitions leave it out, and a Node without a compiler has none. */
export const webAssembly = (globalThis as { WebAssembly?: WebAssemblyApi }).WebAssembly
