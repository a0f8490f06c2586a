"""A Modbus TCP server with known registers. Addresses that are not listed do not exist."""
import sys

from pymodbus.datastore import ModbusServerContext, ModbusSlaveContext, ModbusSparseDataBlock
from pymodbus.server import StartTcpServer

words = {
    0: 215,  # uint16
    1: 0xFFCE,  # int16: -50
    2: 0x0001, 3: 0x86A0,  # uint32: 100000
    4: 0x86A0, 5: 0x0001,  # the same, low word first
    6: 0x41A0, 7: 0xCCCD,  # float32: 20.1
    8: 0x4034, 9: 0x1999, 10: 0x9999, 11: 0x999A,  # float64: 20.1
    12: 0x0000, 13: 0x0000, 14: 0x0001, 15: 0x0000,  # uint64: 65536
    16: 0xFFFF, 17: 0xFFFF, 18: 0xFFFF, 19: 0xFFFE,  # int64: -2
    20: 0x7FFF, 21: 0xFFFF, 22: 0xFFFF, 23: 0xFFFF,  # int64: 2^63 - 1
    24: 0xFFFF, 25: 0xFFFE,  # int32: -2
    26: 0x7FC0, 27: 0x0000,  # float32: not a number
}
slave = ModbusSlaveContext(
    hr=ModbusSparseDataBlock(words),
    ir=ModbusSparseDataBlock({address: address for address in range(300)}),
    co=ModbusSparseDataBlock({address: address % 3 == 0 for address in range(20)}),
    di=ModbusSparseDataBlock({address: address % 2 == 0 for address in range(20)}),
    zero_mode=True,
)
StartTcpServer(
    context=ModbusServerContext(slaves={1: slave}, single=False),
    address=("127.0.0.1", int(sys.argv[1])),
    allow_reuse_address=True,
)
