import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Returns the port; for 0 that is the free port that the system chose. */
export async function listenAt(
  server: FastifyInstance,
  { port, host }: { port: number; host: string },
): Promise<number> {
  await server.listen({ port, host }).catch(refuseTaken(port))
  return (server.server.address() as AddressInfo).port
}

/** Turns the system's error for a port in use into one that names the port and the setting to change. */
const refuseTaken =
  (port: number) =>
  (error: unknown): never => {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new Error(`Port ${port} is already in use. Start with another one: PORT=${port + 1} npm start`, {
      cause: error,
    })
  }
