/* What the package of the server exports as `nano-gateway/names`: that part of `@nano-gateway/client`. */
export { type NameChange, signNameChange } from '../client/names.ts'
