import { type Action, mayAct } from '../kernel/action.ts'
import type { Module } from '../kernel/module.ts'
import { openNearest } from '../kernel/nearest-name.ts'
import { type Parser, type UnusedFields, createParser, unusedOf } from '../kernel/parse-fields.ts'

const NAME_LENGTH_MAX = 40

/** What a module offers at the RPC endpoint. */
type Offering = Pick<Module, 'name' | 'actions' | 'context'>

export interface RegisteredAction {
  action: Action
  /** The context of the action's module; only the module knows its type. */
  context: never
  parse: Parser
  unused: UnusedFields
}

/** Every action under each of its names. Validation, documents and permissions are derived from this list. */
export class Registry {
  readonly modules: readonly { name: string; actions: readonly Action[] }[]
  readonly actions: readonly Action[]
  readonly #byName = new Map<string, RegisteredAction>()
  readonly #byNodeName = new Map<string, RegisteredAction>()
  #nearest: ReturnType<typeof openNearest> | undefined

  constructor(modules: readonly Offering[]) {
    this.modules = modules.flatMap(({ name, actions }) => (actions ? [{ name, actions }] : []))
    this.actions = modules.flatMap(({ actions = [] }) => actions)
    for (const { actions = [], context } of modules) for (const action of actions) this.#register(action, context)
  }

  #register(action: Action, context: unknown): void {
    const registered = {
      action,
      context: context as never,
      parse: createParser(action),
      unused: unusedOf(action),
    }
    for (const name of [action.name, ...(action.synonyms ?? [])]) {
      if (this.#byName.has(name)) throw new Error(`Two actions are called ${name}.`)
      this.#byName.set(name, registered)
    }
    const { name, synonyms = [], ownSynonyms = [], ofNode, asNode } = action
    if (!ofNode) return
    const shared = [name, ...synonyms].filter((each) => !ownSynonyms.includes(each))
    for (const each of [...shared, ...(asNode?.names ?? [])]) this.#byNodeName.set(each, registered)
  }

  find(name: string): RegisteredAction | undefined {
    return this.#byName.get(name)
  }

  /** The same for the names that a node uses. */
  findAsNode(name: string): RegisteredAction | undefined {
    return this.#byNodeName.get(name)
  }

  /** The name that an unknown one probably stands for. The limit is longer than any name of an action. */
  nearest(name: string): string | undefined {
    this.#nearest ??= openNearest(this.#byName.keys())
    return name.length > NAME_LENGTH_MAX ? undefined : this.#nearest(name)
  }

  /** Whether an action may move money or make something. */
  mayAct(name: string): boolean {
    const registered = this.#byName.get(name)
    return registered !== undefined && mayAct(registered.action)
  }
}
