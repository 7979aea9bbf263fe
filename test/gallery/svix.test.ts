import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Library, receiveWebhooks } from './merchant.ts'
import { runClient } from './run-client.ts'

test(
  'svix: its library accepts what a gateway sends, and nothing else',
  runClient('svix', (asked) => {
    const { Webhook } = createRequire(join(asked.folder, 'package.json'))('svix') as {
      Webhook: new (secret: string) => Library
    }
    return receiveWebhooks(asked, (secret) => new Webhook(secret))
  }),
)
