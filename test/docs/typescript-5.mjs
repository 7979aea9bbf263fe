import { registerHooks } from 'node:module'

// openapi-typescript needs the API of TypeScript 5; the repository uses a later version.
registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
})
