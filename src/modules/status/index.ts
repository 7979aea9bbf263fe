export type { OwnView } from './domain/look.ts'
