export { listLinks } from './store.ts'
