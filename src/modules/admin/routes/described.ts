import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'

const { text, bool, map, object, integer, orNull, list, optional, record, words } = answer

export const describedAdminRoutes: readonly Described[] = [
  {
    method: 'get',
    path: '/api/mails',
    id: 'listMails',
    tag: 'admin',
    summary: 'Mail that was stored instead of sent.',
    who: 'administrator',
    answer: record({
      mails: list(record({ id: text, recipient: text, subject: text, text, created_at: text })),
    }),
  },
  {
    method: 'get',
    path: '/api/jobs',
    id: 'listJobs',
    tag: 'admin',
    summary: 'Background jobs.',
    who: 'administrator',
    query: [
      { name: 'status', schema: words('ready', 'running', 'done', 'dead'), description: 'Only those in this state.' },
    ],
    answer: record({
      jobs: list(
        record({ id: text, kind: text, status: text, attempts: integer, run_at: text, last_error: orNull(text) }),
      ),
    }),
  },
  {
    method: 'get',
    path: '/api/freezes',
    id: 'listFreezes',
    tag: 'admin',
    summary: 'Frozen sends and frozen wallets, with the reason of each.',
    who: 'administrator',
    answer: record({
      sends: list(record({ id: text, reason: text, frozen_at: text })),
      wallets: list(record({ id: text, address: text, account: orNull(text), reason: text, frozen_at: text })),
    }),
  },
  {
    method: 'put',
    path: '/api/freezes/{id}',
    id: 'setFreeze',
    tag: 'admin',
    summary:
      'Freeze all sends (`all`), those of an account, or a wallet by its id or address, at once; or let them go on with `frozen: false`.',
    who: 'administrator',
    body: {
      schema: record({ frozen: bool, reason: optional(text), pay_queued: optional(bool) }),
      example: { frozen: true, reason: 'A key is out.' },
    },
    answer: record({ id: text, frozen: bool }),
    refuses: [409],
  },
  {
    method: 'get',
    path: '/api/accounts/{id}/export',
    id: 'exportAccount',
    tag: 'admin',
    summary: 'Everything known about an account, except secrets and other people; up to 10,000 rows.',
    who: 'administrator',
    answer: record({ account: text, tables: map(list(object)), complete: bool }),
  },
  {
    method: 'post',
    path: '/api/accounts/{id}/erase',
    id: 'eraseAccount',
    tag: 'admin',
    summary: 'Close an account and erase its personal data. Money records stay; refused while money is in motion.',
    who: 'administrator',
    answer: record({ account: text, erased: bool }),
    refuses: [409],
  },
]
