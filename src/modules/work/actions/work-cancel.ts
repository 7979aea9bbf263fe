import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { field, input } from '../../../kernel/fields.ts'
import { type WorkContext, requireWork } from '../context.ts'

export const workCancel = action({
  name: 'work_cancel',
  ofNode: true,
  summary: 'Cancels your own requests for the work of a root, and nobody else’s.',
  input: input({ hash: field.hash }),
  example: {
    request: { hash: 'BC955907A25186B1E55B353AEC452E21844369A44A2C6C9CCBAA5E2599698B02' },
    response: { success: '' },
  },
  output: answer.record({ success: answer.nothing }),
  auth: 'none',
  scope: 'work',
  run({ payer }, { hash }, { work }: WorkContext) {
    work.cancel(hash, payer)
    return { success: '' }
  },
  asNode: {
    check: (_question, { work }: WorkContext) => requireWork(work),
    run({ payer }, { request }, { work }: WorkContext) {
      work.cancel(request.hash(), payer)
      return { success: '' }
    },
  },
})
