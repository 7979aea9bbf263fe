import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { input } from '../../../kernel/fields.ts'
import { EXAMPLE, REPRESENTATIVE } from './rep-info.ts'
import type { Representatives } from '../../../kernel/ports.ts'

export const reps = action({
  name: 'reps',
  summary: 'Representatives with weight, uptime and score, heaviest first.',
  input: input({}),
  example: { request: {}, response: [EXAMPLE] },
  output: answer.list(REPRESENTATIVE),
  auth: 'none',
  scope: 'read',
  readOnly: true,
  run: (_ctx, _input, list: Representatives) => list.list(),
})
