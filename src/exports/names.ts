/* Exported by the server's package as `nano-gateway/names`: this part of `@nano-gateway/client`. */
export { type NameChange, signNameChange } from '../client/names.ts'
