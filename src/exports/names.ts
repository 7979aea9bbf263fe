/* The part of `@nano-gateway/client` that the server's package exports as `nano-gateway/names`. */
export { type NameChange, signNameChange } from '../client/names.ts'
