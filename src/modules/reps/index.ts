export { REPRESENTATIVE } from './actions/rep-info.ts'
