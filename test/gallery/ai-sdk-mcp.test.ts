import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { useTools } from './agents.ts'
import { runClient } from './run-client.ts'

interface Tool {
  execute(fields: object, options: object): Promise<{ content: { text: string }[] }>
}
interface Library {
  createMCPClient(options: object): Promise<{ tools(): Promise<Record<string, Tool>>; close(): Promise<void> }>
}

test(
  '@ai-sdk/mcp lists the tools of a gateway and takes a payment with them',
  runClient('@ai-sdk/mcp', async (asked) => {
    const entry = createRequire(join(asked.folder, 'package.json')).resolve('@ai-sdk/mcp')
    const { createMCPClient } = (await import(pathToFileURL(entry).href)) as Library
    await useTools(asked, async (url, headers) => {
      const client = await createMCPClient({ transport: { type: 'http', url, headers } })
      asked.t.after(() => client.close())
      const tools = await client.tools()
      return {
        names: Object.keys(tools),
        use: async (name, fields) =>
          (await tools[name]!.execute(fields, { messages: [], toolCallId: 'one' })).content[0]!.text,
      }
    })
  }),
)
