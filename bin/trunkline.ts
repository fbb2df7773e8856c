#!/usr/bin/env node
console.log('soon')
