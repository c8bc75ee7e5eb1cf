"""Emulated Boa: servos and link boards that answer real bus protocols, with physics behind them."""
