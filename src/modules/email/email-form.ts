import { answer } from '../../kernel/answers.ts'
import { missingField } from '../../kernel/errors.ts'
import { parseNano } from '../../kernel/money.ts'
import { fromAddress } from '../../kernel/nano/address.ts'
import type { Control } from '../../kernel/resource/field.ts'
import { asked, list } from '../../kernel/resource/fields.ts'
import { entity } from '../../kernel/resource/resource.ts'
import { textOf } from '../../kernel/shape.ts'
import { given } from '../../kernel/shown-fields.ts'
import { badField } from './errors.ts'
import { EMAILS_MAX, MESSAGE_MAX, SENDER_MAX, readEmail, readMessage, readSender } from './wire-fields.ts'

/** The form of an email payment. The action reads it once more, as it reads requests of programs. */
export const emailForm = entity({
  table: 'email_payments',
  owner: 'accountId',
  key: ['id'],
  fields: {
    emails: list<string>(
      { schema: answer.text, read: (value, path) => readEmail(path, value) },
      {
        label: 'Recipients',
        hint: 'Up to 50 email addresses. The amount is split equally.',
        placeholder: 'alice@example.com',
        one: 'Recipient',
        add: 'Add a recipient',
        of: 'addresses',
        max: EMAILS_MAX,
      },
    ),
    amount: needed({ as: 'text', decimal: true, label: 'Total amount in nano' }, (path, text) => {
      if (!parseNano(text)) throw badField(path, 'Invalid amount number', 'invalid_amount')
    }),
    refundAddress: needed(
      { as: 'text', label: 'Refund address', hint: 'Receives unclaimed money: nano_… or @name.' },
      (path, text) => {
        if (!fromAddress(text)) throw badField(path, 'Bad account number', 'invalid_account')
      },
    ),
    from: free(
      { as: 'text', max: SENDER_MAX, label: 'Your name', hint: 'Shown in the email as not verified.' },
      readSender,
    ),
    message: free({ as: 'text', max: MESSAGE_MAX, lines: 2, label: 'Message', hint: 'No links.' }, readMessage),
    emailReceipt: free({ as: 'text', type: 'email', label: 'Receipt to' }, readEmail),
    expiration: free(
      {
        as: 'choice',
        label: 'Expires after',
        options: () => ['30 days', '1 day', '7 days', '90 days'].map((text) => [text, text] as const),
      },
      () => undefined,
    ),
  },
  refuse: { emails: ({ emails = [] }) => (emails.length === 0 ? 'Enter at least one address.' : undefined) },
})

function needed(control: Control, check: (path: string, text: string) => void) {
  return asked<void>({
    isRequired: true,
    takes: answer.text,
    control,
    read(value, { path }) {
      if (given(value) === undefined) throw missingField(path)
      check(path, textOf(value))
    },
  })
}

function free(control: Control, check: (path: string, value: unknown) => unknown) {
  return asked<void>({
    takes: answer.text,
    control,
    read(value, { path }) {
      if (given(value) !== undefined) check(path, value)
    },
  })
}
