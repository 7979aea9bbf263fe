// Writes the client's types of the actions, from the registry. Run by `made-sources.mjs`.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publicSchema } from '../src/kernel/public-schema.ts'
import { CHECK, CHECKOUT_EVENT, OWN_CHECKOUT } from '../src/modules/checkout/index.ts'
import { listDescribed } from '../src/http/openapi/index.ts'
import { ACTIONS, OFFERED } from '../src/offered.ts'

const folder = join(import.meta.dirname, '../src/client/generated')
const DESCRIBED = listDescribed(OFFERED)
const RAW = '^[0-9]{1,39}$'
const HEAD = '/* Made of the actions by `npm run build`; changes belong there. */'

const isRaw = ({ type, pattern }) => type === 'string' && pattern === RAW
const formsOf = (schema) => schema.anyOf ?? schema.oneOf
const unique = (list) => [...new Set(list)]
const memberName = (name) => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name))
const remark = (text) => (text === undefined ? '' : `/** ${text.replaceAll('*/', '*')} */\n`)

/** `bigints`: whether raw amounts become bigints. */
function typeOf(schema, bigints) {
  if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  const forms = formsOf(schema)
  if (forms) {
    const types = unique(forms.map((form) => typeOf(form, bigints)))
    // In a union with `string`, listing literals adds nothing.
    return types.filter((type) => !types.includes('string') || !/^"[^"]*"$/.test(type)).join(' | ')
  }
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (bigints && isRaw(schema)) return 'bigint'
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `Array<${typeOf(schema.items ?? {}, bigints)}>`
    case 'object':
      return objectOf(schema, bigints)
    default:
      return 'unknown'
  }
}

function objectOf({ properties = {}, required = [], additionalProperties }, bigints) {
  const members = Object.entries(properties)
  if (members.length === 0) {
    const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties, bigints) : 'unknown'
    return `Record<string, ${values}>`
  }
  const lines = members.map(([name, schema]) => memberOf(name, typeOf(schema, bigints), schema, required))
  return `{\n${lines.join('\n')}\n}`
}

const memberOf = (name, type, { description }, required) =>
  `${remark(description)}${memberName(name)}${required.includes(name) ? `: ${type}` : `?: ${type} | undefined`}`

/** The unit of an amount in a request. A bigint always means raw and is converted to what the action reads. */
const UNITS = { nano: 'nano', nanoOrAll: 'nano', raw: 'raw' }
const unitOf = ({ reader }) => UNITS[reader]
const isFlag = (schema) => schema.reader === 'flag' || schema.form?.anyOf?.[0]?.type === 'boolean'

function requestOf({ properties, required = [] }) {
  const lines = Object.entries(properties).map(([name, schema]) => {
    const shown = publicSchema(schema)
    const type = isFlag(schema) ? 'boolean' : typeOf(shown, false)
    return memberOf(name, unitOf(schema) ? `${type} | bigint` : type, shown, required)
  })
  return lines.length === 0 ? 'Record<string, never>' : `{\n${lines.join('\n')}\n}`
}

/** Every string of an answer with its path: `[]` is a list entry, `*` a map entry. */
function textsIn(schema, path = []) {
  const forms = formsOf(schema)
  if (forms) return forms.flatMap((form) => textsIn(form, path))
  if (schema.type === 'string') return [{ path: path.join('.'), schema }]
  const { items, properties = {}, additionalProperties } = schema
  return [
    ...(items ? textsIn(items, [...path, '[]']) : []),
    ...Object.entries(properties).flatMap(([name, member]) => textsIn(member, [...path, name])),
    ...(typeof additionalProperties === 'object' ? textsIn(additionalProperties, [...path, '*']) : []),
  ]
}

/** Other strings that could be mistaken for raw amounts. */
const looksRaw = ({ pattern = '', enum: words }) =>
  words ? words.some((word) => /^\d+$/.test(word)) : new RegExp(pattern).test('5')

/** Paths of exactly the raw amounts of an answer. */
function rawPaths(schema) {
  const texts = textsIn(schema)
  const raws = unique(texts.filter(({ schema }) => isRaw(schema)).map(({ path }) => path))
  const others = texts.filter(({ path, schema }) => raws.includes(path) && !isRaw(schema) && looksRaw(schema))
  if (others.length > 0)
    throw new Error(`${others[0].path} is an amount in raw in one form of an answer, and not in another.`)
  return raws
}

const unitsOf = ({ properties }) =>
  Object.entries(properties).flatMap(([name, schema]) => (unitOf(schema) ? [[name, unitOf(schema)]] : []))

function factsOf({ input, output, readOnly, once, onceWhen }) {
  const units = unitsOf(input)
  const raws = rawPaths(publicSchema(output))
  return {
    ...(readOnly && { safe: true }),
    ...((once || onceWhen) && { once: true }),
    ...(units.length > 0 && { units: Object.fromEntries(units) }),
    ...(raws.length > 0 && { raws }),
  }
}

/** Routes that the client offers besides actions, by operation id. */
const ROUTES = [
  ...['listCheckouts', 'listRefunds', 'refundCheckout'],
  ...['listLinks', 'createLink', 'getLink', 'changeLink', 'deleteLink'],
  ...[
    'listWebhookEndpoints',
    'createWebhookEndpoint',
    'getWebhookEndpoint',
    'changeWebhookEndpoint',
    'deleteWebhookEndpoint',
  ],
  ...['rotateWebhookEndpointSecret', 'testWebhookEndpoint', 'listWebhookEndpointDeliveries', 'replayToWebhookEndpoint'],
  ...['listKeys', 'createKey', 'revokeKey', 'rotateKey'],
  ...['listEvents', 'getEvent', 'redeliverEvent'],
].map((id) => DESCRIBED.find((route) => route.id === id) ?? fail(id))

function fail(id) {
  throw new Error(`No route is called ${id}.`)
}

/** Schemas with their own type in `answers.ts`. */
const TYPES = new Map([[OWN_CHECKOUT, 'OwnCheckout']])

function routeOf({ id, summary, query = [], body, answer }) {
  const asked = query.map(({ name, schema, description }) =>
    memberOf(name, typeOf(publicSchema(schema), false), { description }, []),
  )
  const lines = [
    asked.length > 0 && `query: {\n${asked.join('\n')}\n}`,
    body && `body: ${requestOf(body.schema)}`,
    `answer: ${typeOf(publicSchema(answer, TYPES), true)}`,
  ]
  return `${remark(summary)}${id}: {\n${lines.filter(Boolean).join('\n')}\n}`
}

function routeFactsOf({ method, path, once, body, answer }) {
  const units = body ? unitsOf(body.schema) : []
  const raws = rawPaths(publicSchema(answer))
  return {
    method: method.toUpperCase(),
    path,
    ...(once && { once: true }),
    ...(units.length > 0 && { units: Object.fromEntries(units) }),
    ...(raws.length > 0 && { raws }),
  }
}

const interfaceOf = (name, about, lines) => `${remark(about)}export interface ${name} {\n${lines.join('\n')}\n}\n`

function listFiles() {
  const requests = ACTIONS.map(({ name, input, summary }) => `${remark(summary)}${name}: ${requestOf(input)}`)
  const answers = ACTIONS.map(({ name, output }) => `${name}: ${typeOf(publicSchema(output), true)}`)
  const facts = ACTIONS.map((action) => `${action.name}: ${JSON.stringify(factsOf(action))},`)
  const raws = (schema) => JSON.stringify(rawPaths(publicSchema(schema)))
  return {
    'requests.ts': `${HEAD}\n${interfaceOf('Requests', 'What each action takes.', requests)}`,
    'answers.ts': `${HEAD}\n${interfaceOf('Answers', 'What each action answers; amounts in raw are bigint.', answers)}
/** How a checkout stands. */
export type Check = ${typeOf(publicSchema(CHECK), true)}

/** A checkout as its merchant sees it. */
export type OwnCheckout = ${typeOf(publicSchema(OWN_CHECKOUT), true)}

/** What a webhook brings, as it is in its body. */
export type WebhookEvent = ${typeOf(publicSchema(CHECKOUT_EVENT), false)}
`,
    'facts.ts': `${HEAD}\nimport type { ActionFacts } from '../action-facts.ts'

export const FACTS = {\n${facts.join('\n')}\n} as const satisfies Record<string, ActionFacts>

/** Where amounts in raw stand in a check of a checkout. */
export const CHECK_RAWS: readonly string[] = ${raws(CHECK)}

/** And in what its merchant sees of it. */
export const OWN_RAWS: readonly string[] = ${raws(OWN_CHECKOUT)}
`,
    'routes.ts': `${HEAD}\nimport type { ActionFacts } from '../action-facts.ts'
import type { OwnCheckout } from './answers.ts'

${interfaceOf('Routes', 'What routes of the REST API take and answer; amounts in raw are bigint.', ROUTES.map(routeOf))}
export type RouteName = keyof Routes

/** What the client needs to know about a route to call it. */
export interface RouteFacts extends Omit<ActionFacts, 'safe'> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
}

export const ROUTES = {\n${ROUTES.map((route) => `${route.id}: ${JSON.stringify(routeFactsOf(route))},`).join('\n')}\n} as const satisfies Record<RouteName, RouteFacts>
`,
  }
}

mkdirSync(folder, { recursive: true })
for (const [name, text] of Object.entries(listFiles())) {
  // Written to a temporary file and renamed, because another process may read or write the file at the same time.
  const draft = join(folder, `.${name}.${process.pid}`)
  writeFileSync(draft, text)
  renameSync(draft, join(folder, name))
}
