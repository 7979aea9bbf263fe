import { action } from '../../../kernel/action.ts'
import { toFieldError } from '../../../kernel/errors.ts'
import { input } from '../../../kernel/fields.ts'
import { form, freeField } from '../../../kernel/free-field.ts'
import { addWatches, showAdded } from '../watches/change.ts'
import { readNew } from '../../../kernel/resource/read.ts'
import { ADDED } from '../watches/routes.ts'
import { watch as watched } from '../watches/watch.ts'
import type { WatchContext } from '../watches/context.ts'

const { addresses: ADDRESSES, endpointId: ENDPOINT } = watched.fields
const EXAMPLE = { endpoint: ENDPOINT.example as string, addresses: ADDRESSES.example as string[] }

const read = ({ addresses, endpoint }: { addresses?: unknown; endpoint?: unknown }) =>
  readNew(watched, undefined, { addresses, endpoint })

export const watch = action({
  name: 'watch',
  summary: 'Notifies a webhook endpoint of what addresses receive and send, from now on.',
  input: input({
    addresses: freeField(form.texts, 'Up to 1,000 addresses.', EXAMPLE.addresses),
    endpoint: freeField(form.text, 'The id of one of your webhook endpoints.', EXAMPLE.endpoint),
  }),
  example: {
    request: EXAMPLE,
    response: { endpoint: EXAMPLE.endpoint, added: 1, watched: 1, total: 1, cursor: 'pos_0' },
  },
  output: ADDED,
  errors: {
    invalid_request:
      'A field cannot be used; `field` says which: you have no such endpoint, or it subscribes to neither `address.received` nor `address.sent`.',
    limit_reached: 'The account already watches as many addresses as it may.',
  },
  auth: 'secret-key',
  scope: 'webhooks',
  once: true,
  check: (fields) => void read(fields),
  async run({ caller, idempotency }, fields, context: WatchContext) {
    // Unreachable: the action admits account callers only.
    if (caller.kind !== 'account') throw new Error('A watch needs an account.')
    const { accountId, actor } = caller
    const asked = read(fields)
    try {
      return showAdded(await addWatches(context, { accountId, actor, ...asked }, idempotency))
    } catch (error) {
      throw toFieldError(error, 'endpoint')
    }
  },
})
