import type { Action } from '../kernel/action.ts'
import type { Module } from '../kernel/module.ts'
import { type IgnoredFields, createIgnoredFields } from '../kernel/ignored-fields.ts'
import { type Parser, createParser } from '../kernel/parse-fields.ts'

export interface RegisteredAction {
  action: Action
  parse: Parser
  ignored: IgnoredFields
}

/** Every action by every name it has: the one list that validation, documents and permissions come from. */
export class Registry {
  readonly modules: readonly Module[]
  readonly actions: readonly Action[]
  readonly #byName = new Map<string, RegisteredAction>()

  constructor(modules: readonly Module[]) {
    this.modules = modules
    this.actions = modules.flatMap((module) => module.actions)
    for (const action of this.actions) {
      const registered = { action, parse: createParser(action), ignored: createIgnoredFields(action) }
      for (const name of [action.name, ...(action.synonyms ?? [])]) {
        if (this.#byName.has(name)) throw new Error(`Two actions are called ${name}.`)
        this.#byName.set(name, registered)
      }
    }
  }

  find(name: string): RegisteredAction | undefined {
    return this.#byName.get(name)
  }
}
