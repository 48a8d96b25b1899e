/** Bare node:http: checks the token, discards the request body and sends the bytes of a file from memory. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [token, file = ''] = process.argv.slice(2)
const bytes = readFileSync(file)
const server = createServer((request, response) => {
  request.resume()
  if (request.headers.authorization !== `Bearer ${token}`) response.writeHead(401).end()
  else
    response
      .writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length })
      .end(bytes)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(JSON.stringify({ base_url: `http://127.0.0.1:${typeof address === 'object' && address?.port}` }))
})
process.on('SIGTERM', () => process.exit())
