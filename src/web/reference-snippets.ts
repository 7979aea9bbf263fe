import type { Json, JsonObject } from '../kernel/shape.ts'

interface Snippet {
  language: string
  name: string
  code: string
}

/** A longer body is broken into lines, instead of leaving that to the width of the window. */
const LINE_MAX = 60

/** The same call in several languages: TypeScript with our client, the others with their standard libraries. */
export function snippetsFor(baseUrl: string, request: JsonObject, needsKey: boolean): Snippet[] {
  return [
    { language: 'sh', name: 'curl', code: curl(baseUrl, request, needsKey) },
    { language: 'ts', name: 'TypeScript', code: typeScript(baseUrl, request, needsKey) },
    { language: 'python', name: 'Python', code: python(baseUrl, request, needsKey) },
    { language: 'php', name: 'PHP', code: php(baseUrl, request, needsKey) },
    { language: 'go', name: 'Go', code: go(baseUrl, request, needsKey) },
    { language: 'java', name: 'Java', code: java(baseUrl, request, needsKey) },
    { language: 'rust', name: 'Rust', code: rust(baseUrl, request, needsKey) },
  ]
}

export function curl(baseUrl: string, request: JsonObject, needsKey = false): string {
  const line = JSON.stringify(request)
  const text = line.length > LINE_MAX ? JSON.stringify(request, null, 2) : line
  const body = text.replaceAll("'", `'\\''`)
  return `curl ${needsKey ? '-H "Authorization: Bearer $NANO_GATEWAY_KEY" ' : ''}-d '${body}' ${shellWord(baseUrl)}`
}

function shellWord(text: string): string {
  return /^[\w./:@%-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Uses the client's name of the action; names of members are only quoted if necessary. */
function typeScript(baseUrl: string, { action, ...fields }: JsonObject, needsKey: boolean): string {
  const key = needsKey ? ', key: env.NANO_GATEWAY_KEY' : ''
  const given = Object.keys(fields).length === 0 ? '' : write(TYPESCRIPT, fields, 0)
  return `${needsKey ? "import { env } from 'node:process'\n" : ''}import { createGateway } from '@nano-gateway/client'

const gateway = createGateway({ url: ${TYPESCRIPT.text(baseUrl)}${key} })
console.log(await gateway.${String(action)}(${given}))`
}

function python(baseUrl: string, request: JsonObject, needsKey: boolean): string {
  const headers = needsKey ? ',\n    headers={"Authorization": "Bearer " + os.environ["NANO_GATEWAY_KEY"]}' : ''
  return `import json${needsKey ? ', os' : ''}, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(baseUrl)},
    json.dumps(${write(PYTHON, request, 4)}).encode()${headers},
)
print(json.load(urllib.request.urlopen(request)))`
}

/** How a language writes JSON values. */
interface Notation {
  /** Spaces of indentation. */
  step: number
  /** For null, true and false. */
  words: readonly [string, string, string]
  text(value: string): string
  name(name: string): string
  object: readonly [string, string]
  /** An object without members. */
  nothing: string
  /** Separator between a name and its value. */
  pair: string
}

/** JSON is valid Python except for three words. */
const PYTHON: Notation = {
  step: 4,
  words: ['None', 'True', 'False'],
  text: JSON.stringify,
  name: JSON.stringify,
  object: ['{', '}'],
  nothing: '{}',
  pair: ': ',
}
/** Inside single quotes only the backslash and the quote are special. */
const quoted = (value: string) => `'${value.replaceAll(/[\\']/g, '\\$&')}'`
const PHP: Notation = {
  step: 4,
  words: ['null', 'true', 'false'],
  text: quoted,
  name: quoted,
  object: ['[', ']'],
  nothing: 'new stdClass()',
  pair: ' => ',
}

const TYPESCRIPT: Notation = {
  step: 2,
  words: ['null', 'true', 'false'],
  text: (value) => (/[\n\r\u2028\u2029]/.test(value) ? JSON.stringify(value) : quoted(value)),
  name: (name) => (/^[a-z_]\w*$/i.test(name) ? name : TYPESCRIPT.text(name)),
  object: ['{', '}'],
  nothing: '{}',
  pair: ': ',
}

function write(notation: Notation, value: Json | undefined, indent: number): string {
  const [none, yes, no] = notation.words
  if (value === null || value === undefined) return none
  if (typeof value === 'boolean') return value ? yes : no
  if (typeof value === 'string') return notation.text(value)
  if (typeof value === 'number') return String(value)
  const inward = indent + notation.step
  const inner = ' '.repeat(inward)
  const [open, parts, close] = Array.isArray(value)
    ? (['[', value.map((part) => write(notation, part, inward)), ']'] as const)
    : ([
        notation.object[0],
        Object.entries(value).map(
          ([name, part]) => `${notation.name(name)}${notation.pair}${write(notation, part, inward)}`,
        ),
        notation.object[1],
      ] as const)
  if (parts.length === 0) return Array.isArray(value) ? '[]' : notation.nothing
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${' '.repeat(indent)}${close}`
}

function php(baseUrl: string, request: JsonObject, needsKey: boolean): string {
  const header = needsKey
    ? `'Content-Type: application/json',\n        'Authorization: Bearer ' . getenv('NANO_GATEWAY_KEY'),`
    : `'Content-Type: application/json',`
  return `<?php
$context = stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [
        ${header}
    ],
    'content' => json_encode(${write(PHP, request, 4)}),
    'ignore_errors' => true,
]]);
print_r(json_decode(file_get_contents(${PHP.text(baseUrl)}, false, $context), true));`
}

function go(baseUrl: string, request: JsonObject, needsKey: boolean): string {
  const text = JSON.stringify(request, null, 2).replaceAll('\n', '\n\t')
  const body = text.includes('`') ? JSON.stringify(JSON.stringify(request)) : `\`${text}\``
  const key = needsKey ? '\n\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("NANO_GATEWAY_KEY"))' : ''
  return `package main

import (
\t"io"
\t"net/http"
\t"os"
\t"strings"
)

func main() {
\tbody := ${body}
\trequest, err := http.NewRequest("POST", ${JSON.stringify(baseUrl)}, strings.NewReader(body))
\tif err != nil {
\t\tpanic(err)
\t}${key}
\tresponse, err := http.DefaultClient.Do(request)
\tif err != nil {
\t\tpanic(err)
\t}
\tdefer response.Body.Close()
\tio.Copy(os.Stdout, response.Body)
}`
}

/** Lines of JSON as texts that are put together, which every Java since 11 reads. */
function java(baseUrl: string, request: JsonObject, needsKey: boolean): string {
  const lines = JSON.stringify(request, null, 2).split('\n')
  const body = lines.map((line) => JSON.stringify(line)).join('\n            + ')
  const key = needsKey ? '\n            .header("Authorization", "Bearer " + System.getenv("NANO_GATEWAY_KEY"))' : ''
  return `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

class Call {
    public static void main(String[] args) throws Exception {
        String body = ${body};
        HttpRequest request = HttpRequest.newBuilder(URI.create(${JSON.stringify(baseUrl)}))${key}
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
        System.out.println(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
    }
}`
}

/** Through curl, because Rust's own library has no HTTP, and one more package would be the reader's choice. */
function rust(baseUrl: string, request: JsonObject, needsKey: boolean): string {
  const text = JSON.stringify(request, null, 2).replaceAll('\n', '\n    ')
  // A raw text ends at the first quote that is followed by as many `#` as it began with.
  const signs = '#'.repeat(1 + Math.max(0, ...[...text.matchAll(/"(#*)/g)].map(([, each]) => each!.length)))
  const key = needsKey
    ? '\n    let key = std::env::var("NANO_GATEWAY_KEY").expect("NANO_GATEWAY_KEY is not set");\n    // Not as an argument, which every user of the machine can read.\n    let header = format!("header = \\"Authorization: Bearer {key}\\"\\n");'
    : '\n    let header = String::new();'
  return `use std::io::Write;
use std::process::{Command, Stdio};

fn main() {
    let body = r${signs}"${text}"${signs};${key}
    let mut curl = Command::new("curl")
        .args(["--silent", "--config", "-", "--data", body, ${JSON.stringify(baseUrl)}])
        .stdin(Stdio::piped())
        .spawn()
        .expect("curl is not installed");
    curl.stdin.take().unwrap().write_all(header.as_bytes()).unwrap();
    curl.wait().unwrap();
}`
}
