import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Answers the port; with 0 it is the free one that the system chose. */
export async function listenAt(
  server: FastifyInstance,
  { port, host }: { port: number; host: string },
): Promise<number> {
  await server.listen({ port, host }).catch(refuseTaken(port))
  return (server.server.address() as AddressInfo).port
}

/** An error that names the taken port, and the setting that chooses another. */
const refuseTaken =
  (port: number) =>
  (error: unknown): never => {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new Error(`Port ${port} is already in use. Start with another one: PORT=${port + 1} npm start`, {
      cause: error,
    })
  }
