import Type from 'typebox'
import { answer } from '../../kernel/answers.ts'
import { TERMS } from '../../modules/x402/index.ts'

/** The body of every refusal by the gateway (contract 7). */
export const ERROR = answer.record({
  error: Type.String({ description: 'What is wrong, for people.' }),
  message: Type.String({ description: 'The same text.' }),
  code: Type.String({ description: 'What is wrong, for programs.' }),
  field: answer.optional(Type.String({ description: 'The field it is about.' })),
  detail: answer.optional(Type.String({ description: 'More about it.' })),
  nearest: answer.optional(Type.String({ description: 'The action that was probably meant.' })),
  scope: answer.optional(Type.String({ description: 'What the key lacks (`missing_scope`).' })),
  limit: answer.optional(Type.String({ description: 'Nano a day that the key may spend (`spending_limit`).' })),
  spent: answer.optional(Type.String({ description: 'Nano of it that are spent or set aside.' })),
  resets_unix: answer.optional(Type.Integer({ description: 'When the next day begins.' })),
  retry_after: answer.optional(Type.Integer({ description: 'Seconds until it is worth asking again.' })),
})

/** An answer of the ledger that something is not so; its status is 200. */
export const LEDGER_REFUSAL = answer.record({ error: Type.String({ description: 'The words of a node.' }) })

/** The price of a request. The header PAYMENT-REQUIRED says the same in base64. */
export const PAYMENT_REQUIRED = answer.record({
  error: answer.text,
  message: answer.text,
  code: answer.text,
  x402Version: answer.optional(answer.integer),
  accepts: answer.optional(answer.list(TERMS)),
  field: answer.optional(answer.text),
})

const header = (description: string, type = 'string') => ({ description, schema: { type } })

export const HEADERS = {
  'X-Request-Id': header('Stands in every log line about the request.'),
  'X-Ignored-Fields': header('Fields of the request that nobody read.'),
  'X-Cache': header('Whether the answer was remembered.'),
  'Idempotent-Replayed': header('`true` where the answer is that of an earlier request.'),
  'Retry-After': header('Seconds until it is worth asking again.', 'integer'),
  'RateLimit-Limit': header('Requests in a minute.', 'integer'),
  'RateLimit-Remaining': header('How many of them are left.', 'integer'),
  'RateLimit-Reset': header('Seconds until all of them are there again.', 'integer'),
  'PAYMENT-REQUIRED': header('What to pay: JSON in base64.'),
  'PAYMENT-RESPONSE': header('What became of the payment: JSON in base64.'),
}

type HeaderName = keyof typeof HEADERS

export const headerRefs = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

interface Refusal {
  name: string
  description: string
  headers?: HeaderName[]
}

/** Every status of a refusal, with what it means in general. */
const REFUSALS: Readonly<Record<number, Refusal>> = {
  400: { name: 'BadRequest', description: 'Something in the request is wrong; `field` names it.' },
  401: { name: 'Unauthorized', description: 'The key is missing or wrong.' },
  402: {
    name: 'PaymentRequired',
    description:
      'It has a price here, and was asked for without a key: the body and the header PAYMENT-REQUIRED say which.',
    headers: ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'],
  },
  403: {
    name: 'Forbidden',
    description:
      'The account may not, or has not enough. `missing_scope`: the key may not, and `scope` says what it lacks. `spending_limit`: the key has spent what it may today.',
  },
  404: { name: 'NotFound', description: 'There is no such thing, or it is somebody else’s.' },
  405: { name: 'MethodNotAllowed', description: 'Another method is meant.' },
  409: {
    name: 'Conflict',
    description:
      'An Idempotency-Key was used with another request or its first request still runs, or the state forbids it.',
    headers: ['Retry-After'],
  },
  413: { name: 'TooLarge', description: 'The body is too large.' },
  429: {
    name: 'TooManyRequests',
    description: 'Over a limit; `detail` says which and what lifts it.',
    headers: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  },
  500: { name: 'InternalError', description: 'Our fault. The log has it under the X-Request-Id.' },
  502: { name: 'NoNode', description: 'No node answers, or none took the block.' },
  503: {
    name: 'Unavailable',
    description: 'Something is away or too much was asked at once.',
    headers: ['Retry-After'],
  },
  504: { name: 'NodeTimeout', description: 'The nodes took too long.' },
}

const refusalOf = (status: number): Refusal => {
  const known = REFUSALS[status]
  if (!known) throw new RangeError(`No refusal has the status ${status}.`)
  return known
}

/** A refusal as an operation names it; where it can say why, it does. */
export function refusalRef(status: number, reasons: readonly string[] = []): object {
  const { name } = refusalOf(status)
  return reasons.length === 0 ? { $ref: `#/components/responses/${name}` } : toRefusal(status, reasons)
}

function toRefusal(status: number, reasons: readonly string[] = []): object {
  const { description, headers = [] } = refusalOf(status)
  const schema = { $ref: `#/components/schemas/${status === 402 ? 'PaymentRequired' : 'Error'}` }
  return {
    description: [description, ...reasons].join('\n\n'),
    headers: headerRefs('X-Request-Id', ...headers),
    content: { 'application/json': { schema } },
  }
}

/** Those that a document needs. */
export const refusalComponents = (statuses: Iterable<number>) =>
  Object.fromEntries([...statuses].map((status) => [refusalOf(status).name, toRefusal(status)]))
