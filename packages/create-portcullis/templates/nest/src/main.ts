// A small stock service. The guard decides in this process, with its copy of the rules, before any handler runs. The
// rules are in Portcullis and not in this file.
import 'reflect-metadata';
import { Controller, Delete, Get, Module, Param, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createGuard } from '@portcullis/guard';
import { callerOf, protect } from '@portcullis/guard/express';
import express, { type Request } from 'express';

const { DECISION_URL = 'http://127.0.0.1:8002', DECISION_SECRET = '', PORT = '3000' } = process.env;
const guard = await createGuard({
  url: DECISION_URL,
  secret: DECISION_SECRET,
  service: 'stock',
  dev: process.env.PORTCULLIS_MODE === 'dev', // The mode of Portcullis.
});
const items = new Map(['Lamp', 'Chair', 'Table'].map((name, place) => [place + 1, { id: place + 1, name }]));

@Controller('stock/items')
class ItemsController {
  @Get()
  list(@Req() request: Request) {
    console.log(`${callerOf(request).username} lists items`);
    return { code: 200, data: [...items.values()] };
  }

  @Delete(':id')
  remove(@Req() request: Request, @Param('id') id: string) {
    console.log(`${callerOf(request).username} removes an item`);
    return items.delete(Number(id)) ? { code: 200 } : { code: 404, msg: 'There is no such item.' };
  }
}

@Module({ controllers: [ItemsController] })
class StockModule {}

// Nest parses no body itself: `protect` runs before the parser, so that the service does not read bodies of refused
// requests, and after it, so that a revocation that happens while a body is uploading still takes effect.
const app = await NestFactory.create(StockModule, { bodyParser: false, logger: ['error', 'warn'] });
app.use(protect(guard), express.json(), protect(guard));
await app.listen(Number(PORT), '127.0.0.1');
console.log(`Listening on http://127.0.0.1:${PORT}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void guard.close().then(() => process.exit()));
