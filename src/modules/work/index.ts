import type { Module } from '../../kernel/module.ts'
import { workCancel } from './actions/work-cancel.ts'
import { workGenerate } from './actions/work-generate.ts'
import { workValidate } from './actions/work-validate.ts'

export const work: Module = { name: 'work', actions: [workGenerate, workValidate, workCancel] }

export { WorkDesk } from './desk.ts'
export { forgetWorks } from './jobs.ts'
