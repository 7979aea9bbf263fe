import type { Json, JsonObject } from '../kernel/shape.ts'

interface Snippet {
  language: string
  name: string
  code: string
}

/** A longer body is broken where it can be read, and not where the window ends. */
const LINE_MAX = 60

/** The same call for a terminal, for JavaScript and for Python, with nothing but what comes with each. */
export function snippetsFor(baseUrl: string, request: JsonObject, needsKey: boolean): Snippet[] {
  return [
    { language: 'sh', name: 'curl', code: curl(baseUrl, request, needsKey) },
    { language: 'js', name: 'JavaScript', code: javaScript(baseUrl, request, needsKey) },
    { language: 'python', name: 'Python', code: python(baseUrl, request, needsKey) },
  ]
}

export function curl(baseUrl: string, request: JsonObject, needsKey = false): string {
  const line = JSON.stringify(request)
  const text = line.length > LINE_MAX ? JSON.stringify(request, null, 2) : line
  const body = text.replaceAll("'", `'\\''`)
  return `curl ${needsKey ? '-H "Authorization: Bearer $NANO_KEY" ' : ''}-d '${body}' ${shellWord(baseUrl)}`
}

function shellWord(text: string): string {
  return /^[\w./:@%-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

function javaScript(baseUrl: string, request: JsonObject, needsKey: boolean): string {
  const headers = needsKey ? '\n  headers: { authorization: `Bearer ${env.NANO_KEY}` },' : ''
  return `${needsKey ? "import { env } from 'node:process'\n\n" : ''}const response = await fetch(${JSON.stringify(baseUrl)}, {
  method: 'POST',${headers}
  body: JSON.stringify(${JSON.stringify(request, null, 2).replaceAll('\n', '\n  ')}),
})
console.log(await response.json())`
}

function python(baseUrl: string, request: JsonObject, needsKey: boolean): string {
  const headers = needsKey ? ',\n    headers={"Authorization": "Bearer " + os.environ["NANO_KEY"]}' : ''
  return `import json${needsKey ? ', os' : ''}, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(baseUrl)},
    json.dumps(${toPython(request, 4)}).encode()${headers},
)
print(json.load(urllib.request.urlopen(request)))`
}

/** JSON is Python but for three words. */
function toPython(value: Json | undefined, indent: number): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = ' '.repeat(indent + 4)
  const [open, parts, close] = Array.isArray(value)
    ? (['[', value.map((part) => toPython(part, indent + 4)), ']'] as const)
    : ([
        '{',
        Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${toPython(part, indent + 4)}`),
        '}',
      ] as const)
  if (parts.length === 0) return `${open}${close}`
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${' '.repeat(indent)}${close}`
}
