import Type from 'typebox'
import { action } from '../../../kernel/action.ts'
import { answer } from '../../../kernel/answers.ts'
import { input } from '../../../kernel/fields.ts'
import { requestSignIn } from '../domain/sign-in.ts'
import { EMAIL_PATTERN } from '../email-field.ts'
import type { AccountContext } from '../context.ts'

export const rpcKey = action({
  name: 'rpc_key',
  synonyms: ['gpu_key'],
  summary:
    'Emails a one-time sign-in link, with which you can create keys. Knowing an address is never enough to get a key.',
  input: input({
    email: Type.String({
      description: 'Where the link goes.',
      pattern: EMAIL_PATTERN,
      refusal: { text: 'Invalid email', code: 'invalid_email' },
    }),
  }),
  example: {
    request: { email: 'alice@example.com' },
    response: { success: true, message: 'A sign-in link was sent to alice@example.com.' },
  },
  output: answer.record({ success: answer.bool, message: answer.text }),
  auth: 'none',
  scope: 'keys',
  once: true,
  async run({ store, ip, idempotency }, { email }, { baseUrl, keepsMail }: AccountContext) {
    await requestSignIn(store, { email, ip, baseUrl: baseUrl(), idempotency })
    const message = keepsMail
      ? `No mail server is set: the sign-in link for ${email} is kept here. Its operator reads it with "nano-gateway mail list", or signed in at ${baseUrl()}/dashboard/admin/mail.`
      : `A sign-in link was sent to ${email}.`
    return { success: true, message }
  },
})
