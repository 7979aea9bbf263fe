export type { OwnView } from './domain/status.ts'
