/** A compiled module. Threads that share one share its machine code. */
export type WebAssemblyModule = object

interface WebAssemblyApi {
  validate(bytes: Uint8Array): boolean
  Module: new (bytes: Uint8Array) => WebAssemblyModule
  Instance: new (module: WebAssemblyModule) => { exports: unknown }
}

/** Node's type definitions omit it, and a Node without a compiler does not have it. */
export const webAssembly = (globalThis as { WebAssembly?: WebAssemblyApi }).WebAssembly
