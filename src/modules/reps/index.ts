export { REPRESENTATIVE } from './actions/rep-info.ts'
export { REP_ACTIONS, type RepsModule, openReps } from './open.ts'
export { describedRepRoutes } from './routes.ts'
