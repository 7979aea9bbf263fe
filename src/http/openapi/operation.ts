import Type from 'typebox'
import { answer } from '../../kernel/answers.ts'
import type { Described } from '../../kernel/described.ts'
import { type Names, publicSchema } from '../../kernel/public-schema.ts'
import { TERMS } from '../../modules/x402/index.ts'

export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Requests with the same key act once; 1 to 255 printable characters.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const ID_DESCRIPTIONS: Readonly<Record<string, string>> = {
  id: 'The id from an earlier answer.',
  name: 'A username.',
}

const parametersIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)

/** Every status with which a route may refuse. */
export function refusalsOf(route: Described): number[] {
  const { path, who, query, body, once, refuses = [] } = route
  const statuses = [400, 429, 500, ...refuses]
  if (who !== 'anybody') statuses.push(401, 403, 503)
  if (body) statuses.push(413)
  if (query) statuses.push(400)
  if (once) statuses.push(409)
  if (parametersIn(path).length > 0) statuses.push(404)
  return [...new Set(statuses)].sort((a, b) => a - b)
}

const WHO: Readonly<Record<Described['who'], string>> = {
  anybody: 'It needs no key.',
  account: 'It needs a secret key or a session of the account.',
  administrator: 'It needs a secret key or a session of an administrator.',
}

/** The description of a route, with facts that a schema cannot express. */
function describe({ summary, who, query = [], body, once, type, otherwise }: Described): string {
  const pages = query.some(({ name }) => name === 'cursor' || name === 'since' || name === 'before')
  const lines = [
    summary,
    WHO[who],
    body?.isOfResource && 'An unknown field is refused with 400 and named.',
    once && 'Repeated with the same `Idempotency-Key`, it acts once.',
    pages && 'It answers one page at a time, and names the next one.',
    type === 'text/csv' && 'The answer is a file of comma-separated values.',
    type === 'text/event-stream' && 'The answer is a stream that stays open.',
    otherwise && `${otherwise.status} has a body of its own form.`,
  ]
  return lines.filter((line) => typeof line === 'string').join('\n\n')
}

export function toOperation(route: Described, names: Names): object {
  const { path, id, tag, summary, who, query = [], body, once, status = 200, answer, otherwise } = route
  const { type = 'application/json' } = route
  const parameters = [
    ...parametersIn(path).map((name) => ({
      name,
      in: 'path',
      required: true,
      description: ID_DESCRIPTIONS[name],
      schema: { type: 'string' },
    })),
    ...query.map(({ name, schema, description }) => ({
      name,
      in: 'query',
      required: false,
      description,
      schema: publicSchema(schema, names),
    })),
    ...(once ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ]
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: describe(route),
    security: who === 'anybody' ? [] : [{ bearer: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: body.required ?? true,
        content: {
          'application/json': {
            schema: publicSchema(body.schema, names),
            ...(body.example !== undefined && { example: body.example }),
          },
        },
      },
    }),
    responses: {
      [status]: {
        description: 'Done.',
        headers: headerRefs('X-Request-Id', ...(once ? (['Idempotent-Replayed'] as const) : [])),
        content: { [type]: { schema: publicSchema(answer, names) } },
      },
      ...Object.fromEntries(refusalsOf(route).map((each) => [each, refusalRef(each)])),
      ...(otherwise && {
        [otherwise.status]: {
          description: 'It cannot.',
          headers: headerRefs('X-Request-Id'),
          content: { 'application/json': { schema: publicSchema(otherwise.schema, names) } },
        },
      }),
    },
  }
}

/** The body of every refusal by the gateway (contract 7). */
export const ERROR = answer.record({
  error: Type.String({ description: 'Error message for people.' }),
  message: Type.String({ description: 'The same text.' }),
  code: Type.String({ description: 'Error code for programs.' }),
  field: answer.optional(Type.String({ description: 'The field it is about.' })),
  errors: answer.optional(answer.list(answer.record({ field: answer.text, message: answer.text }))),
  detail: answer.optional(Type.String({ description: 'More details.' })),
  nearest: answer.optional(Type.String({ description: 'The action you probably meant.' })),
  scope: answer.optional(Type.String({ description: 'The scope the key is missing (`missing_scope`).' })),
  limit: answer.optional(Type.String({ description: 'Nano the key can spend in a day (`spending_limit`).' })),
  spent: answer.optional(Type.String({ description: 'Nano already spent or reserved today.' })),
  resets_unix: answer.optional(Type.Integer({ description: 'When the next day begins.' })),
  retry_after: answer.optional(Type.Integer({ description: 'Seconds to wait before trying again.' })),
})

/** A refusal of the ledger; its status is 200. */
export const LEDGER_REFUSAL = answer.record({ error: Type.String({ description: 'The node’s error message.' }) })

/** The price of a request. The header PAYMENT-REQUIRED contains the same, encoded in base64. */
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
  'X-Request-Id': header('Appears in every log line about the request.'),
  'X-Ignored-Fields': header('Fields of the request that were ignored.'),
  'X-Cache': header('Whether the answer came from the cache.'),
  'Idempotent-Replayed': header('`true` if the answer is that of an earlier request.'),
  'Retry-After': header('Seconds to wait before trying again.', 'integer'),
  'RateLimit-Limit': header('Requests per minute.', 'integer'),
  'RateLimit-Remaining': header('How many of them are left.', 'integer'),
  'RateLimit-Reset': header('Seconds until the limit resets.', 'integer'),
  'PAYMENT-REQUIRED': header('What to pay: JSON in base64.'),
  'PAYMENT-RESPONSE': header('The result of the payment: JSON in base64.'),
}

type HeaderName = keyof typeof HEADERS

export const headerRefs = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

interface Refusal {
  name: string
  description: string
  headers?: HeaderName[]
}

/** Every status of a refusal, with its meaning. */
const REFUSALS: Readonly<Record<number, Refusal>> = {
  400: { name: 'BadRequest', description: 'Something in the request is wrong; `field` names it.' },
  401: { name: 'Unauthorized', description: 'The key is missing or wrong.' },
  402: {
    name: 'PaymentRequired',
    description:
      'The request has a price and came without a key. The body and the header PAYMENT-REQUIRED say what to pay.',
    headers: ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'],
  },
  403: {
    name: 'Forbidden',
    description:
      'Not allowed for this account, or not enough funds or credits. `missing_scope`: the key lacks the scope named in `scope`. `spending_limit`: the key has reached its daily spending limit.',
  },
  404: { name: 'NotFound', description: 'Not found, or it belongs to another account.' },
  405: { name: 'MethodNotAllowed', description: 'This path needs another method.' },
  409: {
    name: 'Conflict',
    description:
      'The Idempotency-Key was used with another request, its first request is still running, or the current state does not allow it.',
    headers: ['Retry-After'],
  },
  413: { name: 'TooLarge', description: 'The body is too large.' },
  429: {
    name: 'TooManyRequests',
    description: 'Over a limit. `detail` says which one and how to raise it.',
    headers: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  },
  500: { name: 'InternalError', description: 'An error on our side. Quote the X-Request-Id to the operator.' },
  502: { name: 'NoNode', description: 'No node responded, or none accepted the block.' },
  503: {
    name: 'Unavailable',
    description: 'Temporarily unavailable, or too many requests at once.',
    headers: ['Retry-After'],
  },
  504: { name: 'NodeTimeout', description: 'The nodes took too long.' },
}

const refusalOf = (status: number): Refusal => {
  const known = REFUSALS[status]
  if (!known) throw new RangeError(`No refusal has the status ${status}.`)
  return known
}

/** A refusal of one operation, with its reasons if they are known. */
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

/** The refusals that a document refers to. */
export const refusalComponents = (statuses: Iterable<number>) =>
  Object.fromEntries([...statuses].map((status) => [refusalOf(status).name, toRefusal(status)]))
