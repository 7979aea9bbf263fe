import type { Resource } from '@modelcontextprotocol/sdk/types.js'
import { Guides } from '../docs/guides.ts'

const CONTRACT_PARTS = 9

/** The contract and the guides, under their public addresses. */
export class McpDocuments {
  readonly #guides: Guides
  readonly #baseUrl: () => string

  constructor(folder: URL, baseUrl: () => string) {
    this.#guides = new Guides(folder)
    this.#baseUrl = baseUrl
  }

  list(): Resource[] {
    const parts = Array.from({ length: CONTRACT_PARTS }, (_, at) => `contract/part-${at + 1}`)
    const paths = [...this.#guides.list().map(({ path }) => path), ...parts]
    return paths.flatMap((path) => {
      const guide = this.#guides.find(path)
      if (!guide) return []
      return { uri: this.#uriOf(path), name: path, title: guide.document.title, mimeType: 'text/markdown' }
    })
  }

  read(uri: string): string | undefined {
    const resource = this.list().find((each) => each.uri === uri)
    return resource && this.#guides.markdown(resource.name)
  }

  #uriOf(path: string): string {
    return `${this.#baseUrl()}/docs/${path}.md`
  }
}
