import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'

const { text, integer, orNull, list, record, words } = answer

export const describedAdminRoutes: readonly Described[] = [
  {
    method: 'get',
    path: '/api/mails',
    id: 'listMails',
    tag: 'admin',
    summary: 'Mail that was kept instead of sent.',
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
    summary: 'Jobs in the background.',
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
]
