export { openWorkFor } from './find-work.ts'
export { openWorkActions } from './open.ts'
