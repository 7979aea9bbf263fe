/*
 * The parts of the dashboard's packages that are used here: building this package requires none of them. The test under
 * `--thorough` compiles the widget with their own types instead.
 */
declare module 'react' {
  export function useEffect(effect: () => (() => void) | void, dependencies: readonly unknown[]): void
  export function useState<T>(first: T): [T, (next: T) => void]
}

declare module '@medusajs/ui' {
  import type { FunctionComponent } from 'preact'
  type Of<Props> = FunctionComponent<Props & { className?: string; children?: unknown }>
  export const Container: Of<object>
  export const Heading: Of<{ level: 'h1' | 'h2' | 'h3' }>
  export const Text: Of<{ size: 'xsmall' | 'small'; leading?: 'compact'; weight?: 'plus'; as?: 'p' | 'span' | 'div' }>
  export const StatusBadge: Of<{ color: 'green' | 'red' | 'blue' | 'orange' | 'grey' }>
  export const Copy: Of<{ content: string; 'aria-label'?: string }>
  export const Button: Of<{ size: 'small'; variant: 'secondary' | 'transparent'; onClick: () => void }>
}

declare module '@medusajs/js-sdk' {
  export default class Medusa {
    constructor(options: { baseUrl: string; auth: { type: 'session' | 'jwt'; jwtTokenStorageKey?: string } })
    client: { fetch<T>(path: string): Promise<T> }
  }
}
