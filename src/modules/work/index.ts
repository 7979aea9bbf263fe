export { openWorkActions } from './open.ts'
