import type { Action } from '../../kernel/action.ts'
import { type ErrorCode, statusOf } from '../../kernel/errors.ts'
import type { Offered } from '../../kernel/module.ts'
import { headerRefs, refusalRef } from './operation.ts'
import { type Names, type Schema, refTo, unnamed } from '../../kernel/public-schema.ts'
import { tagOf } from './tags.ts'

export const requestName = ({ name }: Action) => `${name}.request`
export const answerName = ({ name }: Action) => `${name}.answer`

/**
 * Statuses with which any action may refuse: wrong fields or keys, a price, a limit, a permission, an unavailable
 * store.
 */
const ANYWHERE = [400, 401, 402, 403, 413, 429, 500, 503]

/** Every status with which an action may refuse. */
export function statusesOf({ local, once, onceWhen, errors = {} }: Action): number[] {
  const statuses = new Set(ANYWHERE)
  // Only an action that uses a node can fail for lack of one.
  if (!local) statuses.add(502).add(504)
  if (once || onceWhen) statuses.add(409)
  for (const code of Object.keys(errors)) statuses.add(statusOf(code as ErrorCode))
  return [...statuses].sort((a, b) => a - b)
}

/** What an answer of status 200 can be; refusals of the ledger have this status, too. */
const answerSchema = (action: Action): Schema =>
  action.refusals ? { anyOf: [refTo(answerName(action)), refTo('LedgerRefusal')] } : refTo(answerName(action))

/** The schemas of an action's request and answer, and of the request at `POST /`, which includes the action's name. */
export function actionSchemas(actions: readonly Action[], names: Names): Record<string, Schema> {
  const schemas: Record<string, Schema> = {}
  for (const action of actions) {
    schemas[action.name] = {
      title: action.name,
      description: action.summary,
      type: 'object',
      allOf: [
        {
          type: 'object',
          required: ['action'],
          properties: { action: { type: 'string', enum: [action.name, ...(action.synonyms ?? [])] } },
        },
        refTo(requestName(action)),
      ],
    }
    schemas[requestName(action)] = unnamed(action.input, names)
    schemas[answerName(action)] = unnamed(action.output, names)
  }
  return schemas
}

export function actionPaths(modules: readonly Offered[]): Record<string, object> {
  const pairs = modules.flatMap((module) =>
    module.actions.map((action) => [`/actions/${action.name}`, { post: toOperation(module, action) }] as const),
  )
  return Object.fromEntries(pairs)
}

const SUCCESS_HEADERS = headerRefs(
  'X-Request-Id',
  'X-Ignored-Fields',
  'X-Cache',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'PAYMENT-RESPONSE',
)

function toOperation(module: Offered, action: Action): object {
  const { name, summary, example, auth, once, onceWhen, input } = action
  return {
    operationId: name,
    tags: [tagOf(module.name)],
    summary,
    description: describe(action),
    security: auth === 'secret-key' ? [{ bearer: [] }] : [{}, { bearer: [] }],
    parameters: [
      ...(once || onceWhen ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      { $ref: '#/components/parameters/PaymentSignature' },
    ],
    requestBody: {
      required: ((input as { required?: string[] }).required ?? []).length > 0,
      content: { 'application/json': { schema: refTo(requestName(action)), example: example.request } },
    },
    responses: {
      200: {
        description: action.refusals ? 'The answer, or the ledger’s refusal in `error`.' : 'The answer.',
        headers: {
          ...SUCCESS_HEADERS,
          ...(once || onceWhen ? headerRefs('Idempotent-Replayed') : {}),
        },
        content: { 'application/json': { schema: answerSchema(action), example: example.response } },
      },
      ...Object.fromEntries(
        statusesOf(action).map((status) => [status, refusalRef(status, reasonsFor(action, status))]),
      ),
    },
  }
}

function reasonsFor({ errors = {} }: Action, status: number): string[] {
  return Object.entries(errors)
    .filter(([code]) => statusOf(code as ErrorCode) === status)
    .map(([code, reason]) => `\`${code}\`: ${reason}`)
}

/** The description of an action, with facts that a schema cannot express. */
function describe({ summary, synonyms = [], fieldSynonyms = {}, refusals = [], scope, scopeWhen }: Action): string {
  const code = (text: string) => `\`${text}\``
  const lines = [
    summary,
    synonyms.length > 0 && `Also called ${synonyms.map(code).join(', ')}.`,
    Object.keys(fieldSynonyms).length > 0 &&
      `Other names of fields: ${Object.entries(fieldSynonyms)
        .map(([other, name]) => `${code(other)} is ${code(name)}`)
        .join(', ')}.`,
    `With a secret key it needs the scope ${code(scope)}${scopeWhen ? ', or a smaller one for what only reads' : ''}.`,
    refusals.length > 0 && `The ledger may refuse with: ${refusals.map(code).join(', ')}.`,
  ]
  return lines.filter((line) => line !== false).join('\n\n')
}

/** Documents `POST /`, where every action can be called by its name in the body. */
export function rootOperation(actions: readonly Action[]): object {
  const mapping = actions.flatMap(({ name, synonyms = [] }) =>
    // Synonyms have no schema of their own, so each points to that of its action.
    [name, ...synonyms].map((other) => [other, `#/components/schemas/${name}`]),
  )
  const statuses = [...new Set(actions.flatMap(statusesOf))].sort((a, b) => a - b)
  return {
    operationId: 'call',
    tags: [tagOf('rpc')],
    summary: 'Call any action by its name in the body.',
    description: [
      'Each action also has a path of its own, which ties its answer to its request.',
      'The body may be in the words of JSON-RPC 2.0 (`{"jsonrpc": "2.0", "id", "method", "params"}`): then the answer is `{"jsonrpc", "id", "result"}` or `{"jsonrpc", "id", "error": {"code", "message", "data"}}`, with status 200.',
      'It may also be an array of 1 to 100 requests of either form, each guarded, counted and charged as if it came alone: then the answer is an array in the same order, in which a refusal has its `status`.',
    ].join('\n\n'),
    security: [{}, { bearer: [] }],
    parameters: [
      { $ref: '#/components/parameters/IdempotencyKey' },
      { $ref: '#/components/parameters/PaymentSignature' },
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            oneOf: actions.map(({ name }) => refTo(name)),
            discriminator: { propertyName: 'action', mapping: Object.fromEntries(mapping) },
          },
          examples: Object.fromEntries(
            actions.map(({ name, summary, example }) => [
              name,
              { summary, value: { action: name, ...example.request } },
            ]),
          ),
        },
      },
    },
    responses: {
      200: {
        description: 'The answer, or a refusal by the ledger in the member `error`.',
        headers: { ...SUCCESS_HEADERS, ...headerRefs('Idempotent-Replayed') },
        content: {
          'application/json': {
            schema: { anyOf: [...actions.map((action) => refTo(answerName(action))), refTo('LedgerRefusal')] },
            examples: Object.fromEntries(actions.map(({ name, example }) => [name, { value: example.response }])),
          },
        },
      },
      ...Object.fromEntries(statuses.map((status) => [status, refusalRef(status)])),
    },
  }
}
