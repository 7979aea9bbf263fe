import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'
import { ROLES } from '../../../kernel/rights.ts'
import { KINDS } from '../activity/sentences.ts'
import { MEMBER } from '../answers.ts'

const { text, bool, integer, list, number, optional, orNull, record, words } = answer

const ROLE = words(...ROLES)
const REQUEST = record({
  request_id: text,
  at: text,
  action: text,
  status: integer,
  code: orNull(text),
  milliseconds: number,
  key: orNull(text),
  stands_for: integer,
})
const common = { tag: 'accounts', who: 'account' } as const

/** The people of an account, and their activity. */
export const describedMemberRoutes: readonly Described[] = [
  {
    ...common,
    method: 'get',
    path: '/api/members',
    id: 'listMembers',
    summary: 'People of the account, and open invitations.',
    answer: record({ members: list(MEMBER) }),
  },
  {
    ...common,
    method: 'post',
    path: '/api/members',
    id: 'inviteMember',
    summary:
      'Invite an email address; its owner accepts within seven days on the page that the email links to, signed in with that address.',
    body: { schema: record({ email: text, role: ROLE }), example: { email: 'bob@example.com', role: 'developer' } },
    status: 201,
    answer: record({ member: MEMBER }),
    refuses: [403, 409],
  },
  {
    ...common,
    method: 'put',
    path: '/api/members/{id}',
    id: 'changeMember',
    summary: 'Change the role of a member. There is always an owner.',
    body: { schema: record({ role: ROLE }), example: { role: 'manager' } },
    answer: record({ member: MEMBER }),
    refuses: [403, 409],
  },
  {
    ...common,
    method: 'delete',
    path: '/api/members/{id}',
    id: 'removeMember',
    summary: 'Remove a member, whose sessions end at once, or withdraw an invitation.',
    answer: record({ success: bool, id: text }),
    refuses: [403, 409],
  },
  {
    ...common,
    method: 'post',
    path: '/api/members/{id}/owner',
    id: 'handOver',
    summary: 'Hand the account over: this member becomes an owner, and the caller a manager.',
    answer: record({ member: MEMBER }),
    refuses: [403, 409],
  },
  {
    ...common,
    method: 'get',
    path: '/api/activity.csv',
    id: 'exportActivity',
    summary: 'Who did what in the account, newest first, as a table.',
    query: [
      {
        name: 'person',
        schema: text,
        description: 'The id of a member, or of the account for what was done with a key.',
      },
      { name: 'kind', schema: words(...Object.keys(KINDS)), description: 'The subject.' },
      { name: 'from', schema: text, description: 'The first day, such as 2027-01-31.' },
      { name: 'to', schema: text, description: 'The last day.' },
    ],
    type: 'text/csv',
    answer: text,
  },
  {
    ...common,
    method: 'get',
    path: '/api/requests',
    id: 'listRequests',
    summary:
      'Requests made with the keys of the account in the last day, newest first, 50 at a time; a sample if there were many.',
    query: [
      { name: 'outcome', schema: words('well', 'failed'), description: 'Status below 400, or 400 and above.' },
      { name: 'action', schema: text, description: 'An action, or a route as in `GET /api/keys`.' },
      { name: 'key', schema: text, description: 'The id of a key.' },
      { name: 'before', schema: text, description: '`next` of the previous page.' },
    ],
    answer: record({ requests: list(REQUEST), next: optional(text) }),
  },
]
