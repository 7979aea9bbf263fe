import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'

/* npm scripts and CI workflows, checked without running them: the commands must work on every system. */

const root = resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

/** Syntax that only some shells know: variables before a command, globs, pipes, quotes, built-in commands. */
const ONLY_IN_SOME_SHELLS = /^(?!(?:node|npm|oxfmt) )|[=](?=\S* node)|["'`$*?|;<>\\~]|&(?!&)|\bexec\b/

const refuses = (command: string) => ONLY_IN_SOME_SHELLS.test(command.replaceAll(/ --[\w-]+=[\w./-]+/g, ''))

test('every npm script runs in the shell of any system', () => {
  const wrong = Object.entries(scripts).filter(([, command]) => refuses(command))
  assert.deepEqual(wrong, [])
  const wrongOnes = [
    'exec node bin/nano-gateway.cjs start',
    'TABLE=write node scripts/test.mjs',
    'node scripts/test.mjs test/*.test.ts',
    "node -e 'run()'",
    'node a.mjs | node b.mjs',
    'rm -rf dist',
    'node server.mjs &',
  ]
  for (const command of wrongOnes) assert.ok(refuses(command), command)
})

interface Step {
  uses?: string
  run?: string
}
interface Workflow {
  permissions: Record<string, string>
  jobs: Record<string, { 'runs-on': string; 'timeout-minutes'?: number; steps: Step[]; strategy?: { matrix: object } }>
}

const workflows = readdirSync(join(root, '.github/workflows')).map((name) => ({
  name,
  workflow: parse(read(`.github/workflows/${name}`)) as Workflow,
}))
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps)

// The owner of an action can move a tag to other code, but not a commit.
test('hosted checks take every action by its commit, read only, and end by themselves', () => {
  for (const { name, workflow } of workflows) {
    assert.deepEqual(workflow.permissions, { contents: 'read' }, name)
    for (const [job, { 'timeout-minutes': minutes }] of Object.entries(workflow.jobs)) {
      assert.ok(minutes !== undefined && minutes <= 120, `${name}: ${job}`)
    }
    for (const { uses } of stepsOf(workflow)) {
      if (uses !== undefined) assert.match(uses, /^actions\/[\w-]+@[0-9a-f]{40}$/, name)
    }
  }
})

test('hosted checks run scripts that there are, on the systems and versions that are promised', () => {
  for (const { name, workflow } of workflows) {
    for (const { run = '' } of stepsOf(workflow)) {
      for (const [, script = ''] of run.matchAll(/npm run ([\w:-]+)/g))
        assert.ok(script in scripts, `${name}: ${script}`)
      for (const [file] of run.matchAll(/\bscripts\/[\w-]+\.mjs/g)) assert.ok(read(file), `${name}: ${file}`)
    }
  }
  const { jobs } = workflows.find(({ name }) => name === 'checks.yml')!.workflow
  assert.deepEqual(jobs.whole!.strategy!.matrix, { machine: ['ubuntu-24.04', 'ubuntu-24.04-arm'] })
  assert.deepEqual(jobs.elsewhere!.strategy!.matrix, { machine: ['macos-15', 'windows-2025'], node: [22, 24] })
  assert.deepEqual(
    jobs.elsewhere!.steps.flatMap(({ run }) => run ?? []),
    ['npm ci', 'npm run build', 'npm run test:quick', 'npm run first-payment'],
  )
})

test('forms for issues ask for what they need in fields that can be distinguished', () => {
  for (const name of ['wrong.yml', 'wish.yml']) {
    const form = parse(read(`.github/ISSUE_TEMPLATE/${name}`)) as {
      name: string
      description: string
      body: { type: string; id?: string; attributes: { label?: string; value?: string } }[]
    }
    assert.ok(form.name && form.description, name)
    const fields = form.body.filter(({ type }) => type !== 'markdown')
    assert.equal(new Set(fields.map(({ id }) => id)).size, fields.length, name)
    for (const { attributes } of fields) assert.ok(attributes.label, name)
  }
})
