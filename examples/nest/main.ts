// Order management in NestJS, which runs on Express here: the guard stands before Nest, as in any Express service. Without it
// there is no way to a controller.
import 'reflect-metadata';
import { Body, Controller, Get, HttpCode, Module, Param, Post, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createGuard } from '@portcullis/guard';
import { callerOf, protect } from '@portcullis/guard/express';
import express, { type NextFunction, type Request, type Response } from 'express';
import { createOrders } from '../orders.ts';

const { DECISION_URL = 'http://127.0.0.1:8002', DECISION_SECRET = '', PORT = '9000' } = process.env;
const portcullis = { url: DECISION_URL, secret: DECISION_SECRET };
const dev = process.env.APPLICATION_MODE === 'dev'; // As Portcullis itself runs.
const guard = await createGuard({ ...portcullis, service: 'orders', dev });
const orders = createOrders(portcullis);

@Controller('api/v1/orders')
class OrdersController {
  @Get()
  list(@Req() request: Request) {
    return orders.list(callerOf(request));
  }

  @Post()
  @HttpCode(200)
  create(@Req() request: Request, @Body() body: unknown) {
    return orders.create(callerOf(request), body);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  cancel(@Req() request: Request, @Param('id') id: string) {
    return orders.cancel(callerOf(request), id);
  }
}

@Module({ controllers: [OrdersController] })
class OrdersModule {}

// Nest reads no body: what reads it stands between the guard and the guard.
const app = await NestFactory.create(OrdersModule, { bodyParser: false, logger: ['error', 'warn'] });
app.use((_request: Request, response: Response, next: NextFunction) => {
  response.set('Cache-Control', 'no-store');
  next();
});
app.use(protect(guard), express.json({ limit: '16kb' }), protect(guard));
await app.listen(Number(PORT), '127.0.0.1');
console.log(`Listening on ${app.getHttpServer().address().port}`);
process.once('SIGTERM', async () => {
  await app.close();
  await guard.close();
});
