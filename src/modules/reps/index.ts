import type { Module } from '../../kernel/module.ts'
import { repInfo } from './actions/rep-info.ts'
import { reps } from './actions/reps.ts'

export const representatives: Module = { name: 'reps', actions: [reps, repInfo] }

export { REPRESENTATIVE } from './actions/rep-info.ts'
export { lookAtReps } from './jobs.ts'
export { RepList } from './list-reps.ts'
export { describedRepRoutes, repRoutes } from './routes.ts'
