#!/usr/bin/env node
'use strict'
// Starts the command line on a Node that can run it. The syntax stays old on purpose: this file must load
// on any Node, so that an unsupported one gets a sentence instead of a stack trace.
var path = require('path')
var fs = require('fs')

var LOWEST = [22, 13]
var cli = path.join(__dirname, '..', 'dist', 'cli.js')

function supported(version) {
  var parts = version.replace(/^v/, '').split('.').map(Number)
  return parts[0] > LOWEST[0] || (parts[0] === LOWEST[0] && parts[1] >= LOWEST[1])
}

function shippedNode() {
  try {
    var name = 'node-' + process.platform + '-' + process.arch
    var file = path.join(path.dirname(require.resolve(name + '/package.json')), 'bin', 'node')
    return fs.existsSync(file) ? file : undefined
  } catch (missing) {
    return undefined
  }
}

/**
 * npm puts a shell between itself and us, and tells only the shell to stop. Where that shell dies of it, we hear nothing but that
 * we have another parent.
 */
function stopWithShell() {
  var shell = process.ppid
  if (process.platform === 'win32' || process.env.npm_lifecycle_event === undefined) return
  var timer = setInterval(function () {
    if (process.ppid === shell) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, 200)
  timer.unref()
}

function fail(text) {
  console.error(text)
  process.exit(1)
}

stopWithShell()
if (!fs.existsSync(cli)) {
  fail(
    'nano-gateway is not built yet. Run `npm run build` (or `npm start`, which does it) in ' +
      path.join(__dirname, '..') +
      '.',
  )
} else if (supported(process.version)) {
  import(require('url').pathToFileURL(cli).href).catch(function (error) {
    fail(error && error.stack ? error.stack : String(error))
  })
} else {
  var node = shippedNode()
  if (!node) {
    fail(
      'nano-gateway needs Node ' +
        LOWEST.join('.') +
        ' or newer; this is ' +
        process.version +
        ' and no bundled Node fits this machine.',
    )
  } else {
    // Small young generations keep the process small under many different requests, at no cost that was measured. So does an
    // allocator that returns what threads have freed; unless told, glibc keeps up to 64 MB of it for each of them.
    // The child leaves when this channel closes, so that killing the launcher never orphans a gateway.
    var child = require('child_process').spawn(node, ['--max-semi-space-size=4', cli].concat(process.argv.slice(2)), {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      env: Object.assign({ MALLOC_TRIM_THRESHOLD_: '2097152', MALLOC_MMAP_THRESHOLD_: '1048576' }, process.env, {
        NANO_GATEWAY_LAUNCHED: '1',
      }),
    })
    var asked = false
    ;['SIGINT', 'SIGTERM', 'SIGHUP'].forEach(function (signal) {
      process.on(signal, function () {
        asked = true
        child.kill(signal)
      })
    })
    child.on('exit', function (code, signal) {
      // One that was asked to stop before it could listen for that has ended as it should.
      process.exit(signal ? (asked && signal !== 'SIGKILL' ? 0 : 1) : code === null ? 1 : code)
    })
  }
}
