import { test } from 'node:test'
import { Webhook } from 'svix'
import { receiveWebhooks } from './merchant.ts'
import { walk } from './walk.ts'

test(
  'svix: its library accepts what a gateway sends, and nothing else',
  walk('svix', (asked) => receiveWebhooks(asked, (secret) => new Webhook(secret))),
)
