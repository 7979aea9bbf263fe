import { registerHooks } from 'node:module'

// openapi-typescript is written against TypeScript 5; ours is a later one, which has another interface.
registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
})
