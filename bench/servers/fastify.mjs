/** Bare Fastify: checks the token and sends the bytes of a file from memory. */
import { readFileSync } from 'node:fs'
import fastify from 'fastify'

const [token, file = ''] = process.argv.slice(2)
const bytes = readFileSync(file)
const app = fastify()
app.post('/*', (request, reply) => {
  if (request.headers.authorization !== `Bearer ${token}`) return reply.code(401).send()
  return reply.type('application/json; charset=utf-8').send(bytes)
})
console.log(JSON.stringify({ base_url: await app.listen({ port: 0, host: '127.0.0.1' }) }))
process.on('SIGTERM', () => process.exit())
