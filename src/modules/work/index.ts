import type { Module } from '../../kernel/module.ts'
import { workGenerate } from './actions/work-generate.ts'

export const work: Module = { name: 'work', actions: [workGenerate] }
