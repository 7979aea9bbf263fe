import { answer } from '../../../kernel/answers.ts'
import type { Described } from '../../../kernel/described.ts'
import { KNOWN_NAME } from '../../names/index.ts'

const { text, bool, list, record, orNull, integer } = answer

const OWN_NAME = record({
  ...KNOWN_NAME.properties,
  owner: answer.address,
  grace_until_unix: answer.unix,
  status: answer.words('leased', 'grace', 'available'),
  indexed: bool,
})

export const describedUsernameRoutes: readonly Described[] = [
  {
    method: 'get',
    path: '/api/names',
    id: 'listNames',
    tag: 'usernames',
    summary: 'Usernames that the account has leased, newest first.',
    who: 'account',
    query: [
      { name: 'limit', schema: integer, description: 'Up to 100; 25 by default.' },
      { name: 'cursor', schema: text, description: '`next_cursor` of the previous page.' },
    ],
    answer: record({ names: list(OWN_NAME), next_cursor: orNull(text) }),
  },
  {
    method: 'put',
    path: '/api/names/{name}',
    id: 'changeNamePage',
    tag: 'usernames',
    summary: 'Set whether search engines may list the public page `/@name`; by default they may not.',
    who: 'account',
    body: { schema: record({ indexed: bool }), example: { indexed: true } },
    answer: OWN_NAME,
  },
]
