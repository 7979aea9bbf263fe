import type { TSchema } from 'typebox'
import { answer } from '../../kernel/answers.ts'
import type { Described } from '../../kernel/described.ts'
import type { Offered } from '../../kernel/module.ts'
import { type Names, unnamed } from '../../kernel/public-schema.ts'
import { account, accountKey } from '../../modules/accounts/index.ts'
import { CHECK, CHECKOUT_EVENT, OWN_CHECKOUT, RECORD, checkoutPayment } from '../../modules/checkout/index.ts'
import { EMAIL_CHECK, ownEmailPayment } from '../../modules/email/index.ts'
import { KNOWN_NAME } from '../../modules/names/index.ts'
import { REPRESENTATIVE } from '../../modules/reps/index.ts'
import { delivery, event, eventWithDeliveries } from '../../modules/webhooks/index.ts'
import { SETTLED, TERMS, VERIFIED } from '../../modules/x402/index.ts'
import { actionPaths, actionSchemas, answerName, requestName, rootOperation, statusesOf } from './actions.ts'
import {
  ERROR,
  HEADERS,
  IDEMPOTENCY_KEY,
  LEDGER_REFUSAL,
  PAYMENT_REQUIRED,
  refusalComponents,
  refusalsOf,
  toOperation,
} from './operation.ts'
import { listTags, tagOf } from './tags.ts'
import { toWebhooks } from './webhooks.ts'

/** Every described route except the actions. */
export const listDescribed = (modules: readonly Offered[]): Described[] => [
  ...SERVICE_ROUTES,
  ...modules.flatMap(({ described = [] }) => described),
]

/**
 * Schemas shared by several operations. Generators put `Checkout` and `checkout` into the same file or type, so no name
 * may differ from an action's name only by case.
 */
const COMPONENTS: Readonly<Record<string, TSchema>> = {
  Error: ERROR,
  LedgerRefusal: LEDGER_REFUSAL,
  PaymentRequired: PAYMENT_REQUIRED,
  PaymentTerms: TERMS,
  Verification: VERIFIED,
  Settlement: SETTLED,
  Account: account.schema,
  Key: accountKey.schema,
  Check: CHECK,
  CheckoutRecord: RECORD,
  OwnCheckout: OWN_CHECKOUT,
  Payment: checkoutPayment.schema,
  CheckoutEvent: CHECKOUT_EVENT,
  Event: event.schema,
  EventWithDeliveries: eventWithDeliveries.schema,
  Delivery: delivery.schema,
  EmailPayment: ownEmailPayment.schema,
  EmailCheck: EMAIL_CHECK,
  KnownName: KNOWN_NAME,
  Representative: REPRESENTATIVE,
}

const PAYMENT_SIGNATURE = {
  name: 'PAYMENT-SIGNATURE',
  in: 'header',
  required: false,
  description: 'Pays for this one request where it has a price: the signed payment as JSON in base64.',
  schema: { type: 'string' },
}

/** The whole API as OpenAPI 3.1, generated from the actions and the descriptions of the routes. */
export function toOpenApi(modules: readonly Offered[], { baseUrl, version }: { baseUrl: string; version: string }) {
  const actions = modules.flatMap((context) => context.actions)
  const described = listDescribed(modules)
  const names: Names = new Map<unknown, string>([
    ...actions.map((action) => [action.input, requestName(action)] as const),
    ...actions.map((action) => [action.output, answerName(action)] as const),
    ...Object.entries(COMPONENTS).map(([name, schema]) => [schema, name] as const),
  ])
  const statuses = new Set([...actions.flatMap(statusesOf), ...described.flatMap(refusalsOf)])
  return {
    openapi: '3.1.0',
    info: {
      title: 'nano-gateway',
      version,
      description: [
        'Every action has a path, `POST /actions/<name>`. `POST /` takes the same with the name in the member `action`.',
        'An `error` member means failure, even with status 200: then the ledger itself has refused.',
        "`POST /node` takes and answers what a Nano node does, as the node's own documents describe it.",
      ].join('\n\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    tags: listTags(),
    paths: withRoutes({ '/': { post: rootOperation(actions) }, ...actionPaths(modules) }, described, names),
    webhooks: toWebhooks(names),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A secret key, or the token of a session under `/api`.',
        },
      },
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY, PaymentSignature: PAYMENT_SIGNATURE },
      headers: HEADERS,
      responses: refusalComponents([...statuses].sort((a, b) => a - b)),
      schemas: {
        ...Object.fromEntries(Object.entries(COMPONENTS).map(([name, schema]) => [name, unnamed(schema, names)])),
        ...actionSchemas(actions, names),
      },
    },
  }
}

function withRoutes(
  actions: Record<string, object>,
  described: readonly Described[],
  names: Names,
): Record<string, object> {
  const paths: Record<string, object> = { ...actions }
  for (const route of described) {
    const operation = toOperation({ ...route, tag: tagOf(route.tag) }, names)
    paths[route.path] = { ...paths[route.path], [route.method]: operation }
  }
  return paths
}

const { text, list, record, words } = answer

/** Routes of the server itself, which belong to no module. */
const SERVICE_ROUTES: readonly Described[] = [
  {
    method: 'get',
    path: '/',
    id: 'getService',
    tag: 'service',
    summary: 'The service and its documents; browsers get a page.',
    who: 'anybody',
    answer: record({ service: text, version: text, rpc: text, docs: text }),
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'getOpenApi',
    tag: 'service',
    summary: 'This document.',
    who: 'anybody',
    answer: answer.object,
  },
  {
    method: 'get',
    path: '/actions/{name}',
    id: 'getAction',
    tag: 'service',
    summary: 'What an action takes and answers, as JSON schemas; browsers are led to its page.',
    who: 'anybody',
    answer: record({
      name: text,
      synonyms: list(text),
      summary: text,
      request: answer.object,
      answer: answer.object,
      example: record({ request: answer.object, response: answer.oneOf(answer.object, list(answer.object)) }),
    }),
  },
  {
    method: 'get',
    path: '/health/live',
    id: 'getLiveness',
    tag: 'service',
    summary: 'Whether the process answers.',
    who: 'anybody',
    answer: record({ status: words('live') }),
  },
  {
    method: 'get',
    path: '/health/ready',
    id: 'getReadiness',
    tag: 'service',
    summary: 'Whether the gateway can take requests; 503 with a `reason` if not.',
    who: 'anybody',
    answer: record({ status: words('ready') }),
    otherwise: { status: 503, schema: record({ status: words('not ready'), reason: text }) },
  },
]
