import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { useTools } from './agents.ts'
import { runClient } from './run-client.ts'

interface Tool {
  name: string
  invoke(fields: object): Promise<string | { text: string }>
}
interface Library {
  MultiServerMCPClient: new (options: object) => { getTools(): Promise<Tool[]>; close(): Promise<void> }
}

test(
  '@langchain/mcp-adapters lists the tools of a gateway and takes a payment with them',
  runClient('@langchain/mcp-adapters', async (asked) => {
    const entry = createRequire(join(asked.folder, 'package.json')).resolve('@langchain/mcp-adapters')
    const { MultiServerMCPClient } = (await import(pathToFileURL(entry).href)) as Library
    await useTools(asked, async (url, headers) => {
      const client = new MultiServerMCPClient({ mcpServers: { gateway: { transport: 'http', url, headers } } })
      asked.t.after(() => client.close())
      const tools = await client.getTools()
      return {
        names: tools.map(({ name }) => name),
        async use(name, fields) {
          const tool = tools.find((each) => each.name === name)!
          // The package throws an error with the tool's message.
          const answer = await tool.invoke(fields).catch(({ message }: Error) => message)
          return typeof answer === 'string' ? answer : answer.text
        },
      }
    })
  }),
)
