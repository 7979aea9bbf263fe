import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { useTools } from './agents.ts'
import { runClient } from './run-client.ts'

interface Tool {
  name: string
  strict: boolean
  invoke(context: object, fields: string): Promise<string | { text: string }>
}
interface Server {
  connect(): Promise<void>
  close(): Promise<void>
}
interface Library {
  MCPServerStreamableHttp: new (options: object) => Server
  RunContext: new (context: object) => object
  getAllMcpTools(options: { mcpServers: Server[]; convertSchemasToStrict: boolean }): Promise<Tool[]>
}

const EVERYTHING = 'payments,wallets,ledger,names,market,work,admin'

test(
  '@openai/agents makes every schema strict and takes a payment with the tools',
  runClient('@openai/agents', async (asked) => {
    const entry = createRequire(join(asked.folder, 'package.json')).resolve('@openai/agents')
    const { MCPServerStreamableHttp, RunContext, getAllMcpTools } = (await import(pathToFileURL(entry).href)) as Library
    await useTools(asked, async (at, headers) => {
      const toolsOf = async (url: string) => {
        const server = new MCPServerStreamableHttp({ url, name: url, requestInit: { headers } })
        await server.connect()
        asked.t.after(() => server.close())
        return getAllMcpTools({ mcpServers: [server], convertSchemasToStrict: true })
      }
      await asked.steps.step('strict mode', async () => {
        const tools = await toolsOf(`${at}?tools=${EVERYTHING}`)
        assert.ok(tools.length > 60)
        assert.deepEqual(
          tools.filter(({ strict }) => !strict).map(({ name }) => name),
          [],
        )
      })
      const tools = await toolsOf(at)
      return {
        names: tools.map(({ name }) => name),
        async use(name, fields) {
          const tool = tools.find((each) => each.name === name)!
          const answer = await tool.invoke(new RunContext({}), JSON.stringify(fields))
          return typeof answer === 'string' ? answer : answer.text
        },
      }
    })
  }),
)
